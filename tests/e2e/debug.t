#!/bin/bash
exec "${0%/*}/suite" debug

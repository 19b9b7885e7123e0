#!/bin/bash
exec "${0%/*}/suite" 6.12

#!/bin/bash
exec "${0%/*}/run" bookworm

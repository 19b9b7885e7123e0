#!/bin/bash
exec "${0%/*}/run" trixie 7.2 7.3

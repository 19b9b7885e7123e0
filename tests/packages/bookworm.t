#!/bin/bash
exec "${0%/*}/run" bookworm 6.1 6.12

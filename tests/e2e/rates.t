#!/bin/bash
exec "${0%/*}/suite" --icount 6.12 tests/e2e/icount/*.bats

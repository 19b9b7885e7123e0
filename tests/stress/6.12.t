#!/bin/bash
exec "${0%/*}/../e2e/suite" 6.12 "${0%/*}"/*.bats

#!/bin/bash
exec "${0%/*}/suite" --boot highres=off 6.12 "${0%/*}"/lowres/*.bats

-- SPDX-License-Identifier: GPL-2.0
-- Type classes, local functions, laziness.
module Main (main) where

import qualified Data.Map as Map
import System.Environment (getArgs)

class Shape a where
  area :: a -> Double
  describe :: a -> String
  describe x = "area " ++ show (area x)

newtype Circle = Circle Double

instance Shape Circle where
  area (Circle r) = r * r * 3

twice :: Num a => a -> a
twice x = x + x

step :: Int -> Int
step x = go x 0
  where
    go 0 acc = acc
    go n acc = go (n - 1) (acc + twice n)
{-# NOINLINE step #-}

main :: IO ()
main = do
  args <- getArgs
  let counts = Map.fromListWith (+) [(x `mod` 3, twice x) | x <- [1 .. 9 + length args]]
  print (step 9, Map.toList counts)
  putStrLn (describe (Circle 2))

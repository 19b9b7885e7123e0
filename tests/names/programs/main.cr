# SPDX-License-Identifier: GPL-2.0
# Generics, blocks, modules with methods of the same name.
module Left
  def self.step(x)
    x * 2 + 1
  end
end

module Right
  def self.step(x)
    x * 2 - 1
  end
end

class Ring(T)
  def initialize(@slots : Array(T))
    @at = 0
  end

  def put(x : T)
    @slots[@at % @slots.size] = x
    @at += 1
  end
end

abstract class Shape
  abstract def area
end

class Circle < Shape
  def initialize(@r : Float64)
  end

  def area
    @r * @r * 3
  end
end

ring = Ring(Int32).new([0, 0, 0, 0])
adder = ->(x : Int32) { x + ARGV.size }
(1..9).each { |i| ring.put(adder.call(Left.step(i) + Right.step(i))) }
shapes = [Circle.new(2.0), Circle.new(3.0)] of Shape
puts shapes.map(&.area).sum, ring.inspect

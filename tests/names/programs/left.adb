--  SPDX-License-Identifier: GPL-2.0
package body Left is
   function Twice (X : Integer) return Integer is (X * 2);

   function "+" (A, B : Point) return Point is
   begin
      return (A.X + B.X, A.Y + B.Y);
   end "+";

   function Step (X : Integer) return Integer is
   begin
      return Twice (X) + 1;
   end Step;

   function Step (X : Float) return Integer is
   begin
      return Twice (Integer (X)) - 1;
   end Step;
end Left;

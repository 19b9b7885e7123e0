--  SPDX-License-Identifier: GPL-2.0
package Left is
   type Point is record
      X, Y : Integer;
   end record;
   function "+" (A, B : Point) return Point;
   function Step (X : Integer) return Integer;
   function Step (X : Float) return Integer;
end Left;

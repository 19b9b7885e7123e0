--  SPDX-License-Identifier: GPL-2.0
package body Left.Child is
   Count : Integer := 0;

   function Step (X : Integer) return Integer is
   begin
      Count := Count + 1;
      return Left.Step (X) * Count;
   end Step;
begin
   Count := Left.Step (Count);
end Left.Child;

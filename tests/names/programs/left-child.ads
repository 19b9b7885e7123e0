--  SPDX-License-Identifier: GPL-2.0
package Left.Child is
   function Step (X : Integer) return Integer;
end Left.Child;

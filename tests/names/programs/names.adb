--  SPDX-License-Identifier: GPL-2.0
--  Packages, overloading, generics, nested subprograms, tasks, operators.
with Ada.Text_IO; use Ada.Text_IO;
with Left.Child;

procedure Names is

   generic
      type Item is range <>;
   package Rings is
      type Slots is array (0 .. 3) of Item;
      type Ring is record
         Store : Slots := (others => 0);
         At_Slot : Natural := 0;
      end record;
      procedure Put (R : in out Ring; X : Item);
   end Rings;

   package body Rings is
      procedure Put (R : in out Ring; X : Item) is
      begin
         R.Store (R.At_Slot mod 4) := X;
         R.At_Slot := R.At_Slot + 1;
      end Put;
   end Rings;

   package Int_Rings is new Rings (Integer);
   type Small is range 0 .. 100;
   package Small_Rings is new Rings (Small);

   I : Int_Rings.Ring;
   S : Small_Rings.Ring;

   task Worker is
      entry Start (X : Integer);
   end Worker;

   task body Worker is
      Got : Integer;
   begin
      accept Start (X : Integer) do
         Got := X;
      end Start;
      Put_Line ("worker" & Integer'Image (Left.Step (Got)));
   end Worker;

   function Nested (X : Integer) return Integer is
      function Deeper (Y : Integer) return Integer is (Y * X);
   begin
      return Deeper (X) + I.At_Slot;
   end Nested;

   use type Left.Point;
   P : constant Left.Point := (1, 2);
begin
   for K in 1 .. 9 loop
      Int_Rings.Put (I, Left.Step (K) + Nested (K));
      Small_Rings.Put (S, Small (K));
   end loop;
   Worker.Start (Left.Child.Step (2));
   Put_Line (Integer'Image (Left."+" (P, P).X) & Integer'Image (Left.Step (2.5)));
end Names;

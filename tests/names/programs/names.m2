(* SPDX-License-Identifier: GPL-2.0 *)

(* Nested procedures, procedure variables, open arrays and records. *)
MODULE names ;

FROM StrIO IMPORT WriteString, WriteLn ;
FROM NumberIO IMPORT WriteCard ;

TYPE
	Step = PROCEDURE (CARDINAL) : CARDINAL ;
	Ring = RECORD
		slots : ARRAY [0..3] OF CARDINAL ;
		at    : CARDINAL
	END ;

VAR
	ring : Ring ;
	i    : CARDINAL ;

PROCEDURE Twice (x : CARDINAL) : CARDINAL ;
BEGIN
	RETURN x + x
END Twice ;

PROCEDURE Square (x : CARDINAL) : CARDINAL ;
BEGIN
	RETURN x * x + 1
END Square ;

PROCEDURE Put (VAR r : Ring; x : CARDINAL) ;
BEGIN
	r.slots[r.at MOD 4] := Twice (x) ;
	INC (r.at)
END Put ;

PROCEDURE Apply (f : Step; n : CARDINAL) : CARDINAL ;
VAR
	sum : CARDINAL ;

	PROCEDURE Add (x : CARDINAL) ;
	BEGIN
		sum := sum + f (x)
	END Add ;

VAR
	k : CARDINAL ;
BEGIN
	sum := 0 ;
	FOR k := 1 TO n DO
		Add (k)
	END ;
	RETURN sum
END Apply ;

PROCEDURE Sum (VAR a : ARRAY OF CARDINAL) : CARDINAL ;
VAR
	k, sum : CARDINAL ;
BEGIN
	sum := 0 ;
	FOR k := 0 TO HIGH (a) DO
		sum := sum + a[k]
	END ;
	RETURN sum
END Sum ;

BEGIN
	ring.at := 0 ;
	FOR i := 0 TO 3 DO
		Put (ring, i)
	END ;
	WriteString ("sums ") ;
	WriteCard (Apply (Square, 9) + Apply (Twice, 3) + Sum (ring.slots), 6) ;
	WriteLn
END names.

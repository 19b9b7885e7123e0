(* SPDX-License-Identifier: GPL-2.0 *)
(* Functors, closures, local functions, modules with functions of the same name. *)
module Left = struct
  let step x = (x * 2) + 1
end

module Right = struct
  let step x = (x * 2) - 1
end

module type Number = sig
  type t

  val twice : t -> t
end

module Ring (N : Number) = struct
  let make n x = Array.make n x

  let put r i x = r.(i mod Array.length r) <- N.twice x
end

module Ints = Ring (struct
  type t = int

  let twice x = x * 2
end)

class circle (r : float) =
  object
    method area = r *. r *. 3.
  end

let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

let () =
  let extra = Array.length Sys.argv in
  let ring = Ints.make 4 0 in
  let rec go i acc = if i = 0 then acc else go (i - 1) (acc + Left.step i + Right.step extra) in
  List.iter (fun x -> Ints.put ring x (x + extra)) [ 1; 2; 3 ];
  let table = Hashtbl.create 8 in
  Hashtbl.replace table "one" ring.(1);
  Printf.printf "%d %d %b %f\n" (go 9 0) (Hashtbl.length table) (even 7) (new circle 2.)#area

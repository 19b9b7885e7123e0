{ SPDX-License-Identifier: GPL-2.0 }
{ Classes, generics, overloading, nested procedures, operators. }
program names;
{$mode objfpc}{$H+}

type
  generic TRing<T> = class
    Slots: array[0..3] of T;
    Place: integer;
    procedure Put(x: T);
  end;
  TIntRing = specialize TRing<integer>;
  TCircle = class
    R: double;
    constructor Create(ARadius: double);
    function Area: double; virtual;
  end;

procedure TRing.Put(x: T);
begin
  Slots[Place mod 4] := x;
  Inc(Place);
end;

constructor TCircle.Create(ARadius: double);
begin
  R := ARadius;
end;

function TCircle.Area: double;
begin
  Result := R * R * 3;
end;

function Twice(x: integer): integer; inline;
begin
  Result := x * 2;
end;

function Step(x: integer): integer; overload;

  function Deeper(y: integer): integer;
  begin
    Result := Twice(y) + x;
  end;

begin
  Result := Deeper(x) + Twice(x);
end;

function Step(x: double): integer; overload;
begin
  Result := Round(x);
end;

var
  r: TIntRing;
  c: TCircle;
  i: integer;
begin
  r := TIntRing.Create;
  c := TCircle.Create(2);
  for i := 1 to 9 do
    r.Put(Step(i) + Step(c.Area));
  writeln(r.Slots[1]);
  c.Free;
  r.Free;
end.

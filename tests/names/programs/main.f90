! SPDX-License-Identifier: GPL-2.0
! Modules with procedures of the same name, contained procedures, a type-bound one.
module left
  implicit none
  type :: ring
    integer :: slots(4) = 0, at = 0
  contains
    procedure :: put => ring_put
  end type
contains
  integer function step(x)
    integer, intent(in) :: x
    step = twice(x) + 1
  end function
  pure integer function twice(x)
    integer, intent(in) :: x
    twice = x * 2
  end function
  subroutine ring_put(self, x)
    class(ring), intent(inout) :: self
    integer, intent(in) :: x
    self%at = self%at + 1
    self%slots(mod(self%at, 4) + 1) = x
  end subroutine
end module

module right
  implicit none
contains
  integer function step(x)
    integer, intent(in) :: x
    step = helper(x) - 1
  contains
    integer function helper(y)
      integer, intent(in) :: y
      helper = y * x
    end function
  end function
end module

subroutine outside(x)
  integer, intent(in) :: x
  print *, x, sum([(i * x, i = 1, 9)])
end subroutine

program names
  use left, only: left_step => step, ring
  use right, only: right_step => step
  implicit none
  type(ring) :: r
  integer :: i
  do i = 1, 9
    call r%put(left_step(i) + right_step(i))
  end do
  call outside(r%slots(2))
  print *, inside(3)
contains
  integer function inside(x)
    integer, intent(in) :: x
    inside = x + r%at
  end function
end program

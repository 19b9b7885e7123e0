// SPDX-License-Identifier: GPL-2.0
/* Methods of classes and objects, a category, methods of the same name. */
#import <objc/Object.h>
#include <stdio.h>

@interface Shape : Object
{
	int side;
}
+ (Shape *)of:(int)s;
- (int)area;
- (int)scaled:(int)by and:(int)more;
@end

@interface Circle : Shape
@end

@implementation Shape
+ (Shape *)of:(int)s
{
	Shape *made = class_createInstance(self, 0);

	made->side = s;
	return made;
}
- (int)area
{
	return side * side;
}
- (int)scaled:(int)by and:(int)more
{
	return [self area] * by + more;
}
@end

@implementation Circle
- (int)area
{
	return side * side * 3;
}
@end

@interface Shape (More)
- (int)half;
@end

@implementation Shape (More)
- (int)half
{
	return [self area] / 2;
}
@end

static int step(int x)
{
	return [[Circle of:x] area] + [[Shape of:x] half];
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d %d\n", step(argc), [[Circle of:2] scaled:argc and:1]);
	return 0;
}

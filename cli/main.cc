#include "kinetic/version.h"
int main() { return kinetic::Version().empty() ? 1 : 0; }

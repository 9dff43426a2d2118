import "zx";

import "zx"

import "tinyexec"

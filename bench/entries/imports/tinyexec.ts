import "tinyexec";

import "execa";

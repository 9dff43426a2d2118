import "nano-spawn";

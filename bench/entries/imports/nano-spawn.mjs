import "nano-spawn"

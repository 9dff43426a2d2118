import "effect"

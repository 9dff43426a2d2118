import "effect/Stream"

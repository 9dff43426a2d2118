import "effect/Stream";

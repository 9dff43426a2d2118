import "effect";

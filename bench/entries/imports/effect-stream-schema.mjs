import "effect/Schema"
import "effect/Stream"

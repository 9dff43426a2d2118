/** Type of the Schema of reasons that only their tags tell apart: `Schema.TaggedUnion({ Missing: {}, Changed: {} })`. */
import type * as Schema from "effect/Schema"

export type TagUnion<Tag extends string> = Schema.TaggedUnion<
  { readonly [T in Tag]: Schema.TaggedStruct<T, {}> }
>

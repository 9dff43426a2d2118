/** Schemas of the requests of the Git branch that need no working tree. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type RequestSchema, requestSchema } from "../branch/messageSchemas.ts"
import { EncodedBytes } from "../command/CommandInput.ts"

const text = Schema.String
const maybe = Schema.optionalKey(text)
const no = Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false)))
const all = Schema.Array(text).pipe(Schema.withConstructorDefault(Effect.succeed([])))

/** Schema of a request for the files of a commit: all, or those at or below `paths`. Default of `revision`: HEAD. */
export const GitFiles: RequestSchema<"GitFiles", {
  readonly revision: Schema.optionalKey<typeof Schema.String>
  readonly paths: Schema.withConstructorDefault<Schema.$Array<typeof Schema.String>>
}> = requestSchema("GitFiles", { revision: maybe, paths: all })

/** Schema of a request for the content of a file of a commit. Default of `revision`: HEAD. */
export const GitRead: RequestSchema<"GitRead", {
  readonly path: typeof Schema.String
  readonly revision: Schema.optionalKey<typeof Schema.String>
}> = requestSchema("GitRead", { path: text, revision: maybe })

/** Schema of a request to make a branch at a revision, without switching to it. Default of `from`: HEAD. */
export const GitCreateBranch: RequestSchema<"GitCreateBranch", {
  readonly branch: typeof Schema.String
  readonly from: Schema.optionalKey<typeof Schema.String>
}> = requestSchema("GitCreateBranch", { branch: text, from: maybe })

/**
 * Schema of a change of a file: its new content, as text or bytes, or `remove`. `executable` is kept if it is not
 * given.
 */
export const GitFileChange: Schema.Union<
  readonly [
    Schema.Struct<{
      readonly path: typeof Schema.String
      readonly content: Schema.Codec<string | Uint8Array, string | { readonly _tag: "Bytes"; readonly base64: string }>
      readonly executable: Schema.optionalKey<typeof Schema.Boolean>
    }>,
    Schema.Struct<{ readonly path: typeof Schema.String; readonly remove: Schema.Literal<true> }>,
  ]
> = Schema.Union([
  Schema.Struct({
    path: text,
    content: Schema.Union([text, EncodedBytes]),
    executable: Schema.optionalKey(Schema.Boolean),
  }),
  Schema.Struct({ path: text, remove: Schema.Literal(true) }),
])

/** A change of a file. */
export type GitFileChange = typeof GitFileChange.Type

/**
 * Schema of a request to commit changes of files on a branch, without a working tree: all of them, or none. `from`
 * makes the branch at that revision; without it the branch must exist. With `parent`, a commit, the request fails if
 * the branch has moved on.
 */
export const GitCommitFiles: RequestSchema<"GitCommitFiles", {
  readonly branch: typeof Schema.String
  readonly message: typeof Schema.String
  readonly files: Schema.$Array<typeof GitFileChange>
  readonly parent: Schema.optionalKey<typeof Schema.String>
  readonly from: Schema.optionalKey<typeof Schema.String>
}> = requestSchema("GitCommitFiles", {
  branch: text,
  message: text,
  files: Schema.Array(GitFileChange).check(Schema.isMinLength(1), Schema.isMaxLength(1_000)),
  parent: maybe,
  from: maybe,
})

/**
 * Schema of a request to open a pull request (GitLab: a merge request) of `branch`. Default of `into`: the default branch.
 */
export const GitOpenPullRequest: RequestSchema<"GitOpenPullRequest", {
  readonly branch: typeof Schema.String
  readonly into: Schema.optionalKey<typeof Schema.String>
  readonly title: typeof Schema.String
  readonly body: Schema.withConstructorDefault<typeof Schema.String>
  readonly draft: Schema.withConstructorDefault<typeof Schema.Boolean>
}> = requestSchema("GitOpenPullRequest", {
  branch: text,
  into: maybe,
  title: text,
  body: text.pipe(Schema.withConstructorDefault(Effect.succeed(""))),
  draft: no,
})

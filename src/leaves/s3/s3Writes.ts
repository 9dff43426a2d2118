/** Writes objects: new ones, replacements, and more content at the end of one. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { BackendError, type FileWriter, type Names } from "../files/FileBackend.ts"
import { type AppendContext, appendToObject } from "./appendToObject.ts"
import { openWriter } from "./ObjectWriter.ts"
import { backendError } from "./S3Failure.ts"
import { isConditionFailure } from "./S3Objects.ts"
import { mapped, type S3Paths } from "./S3Paths.ts"

export interface WriteContext extends AppendContext {
  readonly paths: S3Paths
}

const openStaged = (
  { objects, paths, settings, writes }: WriteContext,
  names: Names,
  commit: "create" | "replace",
): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
  Effect.gen(function* () {
    const key = paths.keyOf(names)
    const writer = yield* openWriter(objects, key, settings)
    const end = commit === "replace" ? writer.commit() : writes.run(key, { _tag: "Absent" }, writer.commit)
    return {
      write: (bytes) => mapped(writer.write(bytes)),
      commit: Effect.mapError(
        end,
        (failure) =>
          commit === "create" && isConditionFailure(failure) ? new BackendError("EEXIST") : backendError(failure),
      ).pipe(Effect.andThen(paths.written(names))),
    }
  })

/** Fails if a path cannot be a file, or the service cannot tell whether it is one already. */
const checkConditional = ({ paths, writes }: WriteContext, names: Names): Effect.Effect<unknown, BackendError> =>
  Effect.all([paths.checkTarget(names), mapped(writes.check)], { concurrency: 2 })

export const createObject = (
  context: WriteContext,
  names: Names,
): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
  Effect.gen(function* () {
    const { objects, paths } = context
    yield* checkConditional(context, names)
    if ((yield* mapped(objects.head(paths.keyOf(names)))) !== undefined) {
      return yield* Effect.fail(new BackendError("EEXIST"))
    }
    return yield* openStaged(context, names, "create")
  })

export const replaceObject = (
  context: WriteContext,
  names: Names,
  mustExist: boolean,
): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
  Effect.gen(function* () {
    const { objects, paths } = context
    yield* paths.checkTarget(names)
    if (mustExist && (yield* mapped(objects.head(paths.keyOf(names)))) === undefined) return yield* paths.absent(names)
    return yield* openStaged(context, names, "replace")
  })

export const appendObject = (
  context: WriteContext,
  names: Names,
  create: boolean,
): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
  Effect.gen(function* () {
    const { objects, paths } = context
    yield* checkConditional(context, names)
    const key = paths.keyOf(names)
    const head = yield* mapped(objects.head(key))
    if (head === undefined && !create) return yield* paths.absent(names)
    const writer = yield* appendToObject(context, key, head)
    return {
      write: (bytes) => mapped(writer.write(bytes)),
      commit: Effect.andThen(mapped(writer.commit), paths.written(names)),
    }
  })

/** Makes the mounts of a leaf: plans them once, and for each command fills in what has appeared or gone since. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { errorMessage } from "../../base/errorMessage.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import type { OptionError } from "../../base/OptionError.ts"
import type { Host } from "../../host/Host.ts"
import { systemShell } from "../../host/systemShell.ts"
import { adviceFor } from "./advice.ts"
import { makingName, startCleaner } from "./Cleaner.ts"
import { findProtections } from "./findProtections.ts"
import { findSystemProgram } from "./findSystemProgram.ts"
import type { IsolatedShellSettings } from "./IsolatedShellOptions.ts"
import { IsolationError } from "./IsolationError.ts"
import type { LaunchFiles } from "./LaunchFiles.ts"
import { isWithin } from "../../host/paths.ts"
import { type Mount, sortMounts } from "./Mount.ts"
import { ensurePlaceholder } from "./placeholders.ts"
import type { MountPlan } from "./planMounts.ts"
import { keepPlanned, type Protection } from "./planProtection.ts"

export interface LeafMounts {
  readonly files: LaunchFiles
  /** The mounts of a command that starts now. */
  readonly current: () => ReadonlyArray<Mount>
  /** A path in a writable folder that is no longer where the leaf found it; a mount would follow the link. */
  readonly replaced: () => string | undefined
}

/** Starts the process that removes the placeholders and `directory` when the scope closes or this program is killed. */
const cleanUp = (
  host: Host,
  directory: string,
  protections: ReadonlyArray<Protection>,
): Effect.Effect<void, IsolationError, Scope.Scope> => {
  const fail = (message: string): IsolationError => {
    const attempts = [{ engine: "any", message }]
    return new IsolationError({ attempts, message: adviceFor(host, attempts) })
  }
  const shell = systemShell(host)
  // Without an engine, the message of the engines is the useful one.
  if (host.os !== "linux" || shell === undefined) return Effect.void
  if (findSystemProgram(host, "flock") === undefined) return Effect.fail(fail("flock (util-linux) is not installed"))
  const placeholders = protections.flatMap(({ placeholder }) => placeholder ?? [])
  return Effect.asVoid(Effect.acquireRelease(
    Effect.tryPromise({
      try: () => startCleaner(host, shell, directory, placeholders),
      catch: (error) => fail(errorMessage(error)),
    }),
    ({ close }) => Effect.promise(close),
  ))
}

/**
 * Makes the mounts. `makeFiles` makes the leaf's own folder just before its lock is taken. Asking git may take long,
 * and cleaners of other leaves remove an old folder without a lock.
 */
export const makeMounts = <E>(
  host: Host,
  settings: IsolatedShellSettings,
  { mounts, writable }: MountPlan,
  makeFiles: Effect.Effect<LaunchFiles, E, Scope.Scope>,
): Effect.Effect<LeafMounts, E | IsolationError | OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const fs = nodeBuiltins()?.getBuiltinModule("node:fs")
    if (fs === undefined) return yield* Effect.die(new Error("isolation: this runtime has no file system"))
    const protections = yield* findProtections(host, fs, settings.protected, writable)
    const hidden = mounts.filter(({ _tag }) => _tag === "Hidden")
    const others = mounts.filter(({ _tag }) => _tag !== "Hidden")
    // In a read-only or hidden folder, a protection could only weaken it.
    const own = [...keepPlanned(mounts, writable, protections), ...protections].filter(({ mount: { path } }) =>
      mounts.findLast((mount) => isWithin(path, mount.path))?._tag === "Writable"
    )
    const movable = mounts.filter(({ path }) => writable.some((folder) => isWithin(path, folder)))
    const files = yield* makeFiles
    yield* cleanUp(host, files.directory, own)
    const making = `${files.directory}/${makingName}`
    return {
      files,
      replaced: () => movable.find(({ path }) => host.realPath(path) !== path)?.path,
      current: () => {
        // Never through a link: a folder above may have been replaced since. A missing path is not mounted either: this
        // program could not create it, so commands cannot. A macOS profile denies missing paths as well.
        const isMac = host.os === "darwin"
        for (const { placeholder } of own) {
          if (!isMac && placeholder !== undefined) ensurePlaceholder(fs, placeholder, making)
        }
        const present = own.map(({ mount }) => mount).filter(({ path }) => isMac || host.realPath(path) === path)
        return sortMounts([...others, ...present, ...hidden])
      },
    }
  })

/**
 * Makes the leaf of the FileSystem branch over the files of a sandbox.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { quote } from "../../base/quote.ts"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { OptionError, refuseUnknownOptions } from "../../base/OptionError.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import type { SandboxService } from "../../kernel/sandbox/SandboxService.ts"
import { kernelBackend } from "./kernelBackend.ts"
import { leafFilesOptionNames, type LeafFilesOptions, leafFilesSettings } from "./LeafFilesOptions.ts"
import { makeFiles } from "./makeFiles.ts"

/** Options of {@link layer}. */
export interface KernelFileSystemOptions extends LeafFilesOptions {
  /** The folder of the sandbox that `/` stands for. Default: `"/"`. */
  readonly rootPath?: string | undefined
}

const optionNames: Readonly<Record<keyof KernelFileSystemOptions, true>> = { ...leafFilesOptionNames, rootPath: true }

/** Makes the file system of a sandbox. */
export const make = (
  { fileSystem }: Pick<SandboxService, "fileSystem">,
  options: KernelFileSystemOptions = {},
): Effect.Effect<FilesService, OptionError> =>
  attemptOptions(() => {
    refuseUnknownOptions("KernelFileSystem", options, optionNames)
    const { rootPath = "/" } = options
    const root = fileSystem.directory(fileSystem.root, rootPath)
    if (typeof root === "number") {
      throw new OptionError(
        "rootPath",
        `KernelFileSystem: rootPath ${quote(rootPath)} is not a folder of the sandbox`,
      )
    }
    return makeFiles(kernelBackend(fileSystem, "kernel", root), leafFilesSettings("KernelFileSystem", options))
  })

/**
 * The files of a sandbox. This service reads what the sandbox's scripts write, and the scripts read what this service
 * writes.
 *
 * @example
 * ```ts
 * import { Files, KernelFileSystem } from "@sluice/shell/files"
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make()
 *   const files = KernelFileSystem.layer(sandbox, { rootPath: "/home/user" })
 *   yield* Effect.provide(Files.write("names.txt", "Grace\nAda\n"), files)
 *   return yield* sandbox.run("sort /home/user/names.txt")
 * })
 * const { stdout } = await Effect.runPromise(Effect.scoped(program))
 * console.log(stdout)
 * // Ada
 * // Grace
 * ```
 */
export const layer = (
  sandbox: Pick<SandboxService, "fileSystem">,
  options?: KernelFileSystemOptions,
): Layer.Layer<Files, OptionError> => Layer.effect(Files, make(sandbox, options))

/** Declares the options of the files of a container, resolves them, and makes the service. */
import { OptionError, refuseUnknownOptions, requireBooleans, showValue } from "../../base/OptionError.ts"
import type { FilesService } from "../../files/FilesService.ts"
import {
  leafFilesOptionNames,
  type LeafFilesOptions,
  type LeafFilesSettings,
  leafFilesSettings,
} from "../files/LeafFilesOptions.ts"
import { makeFiles } from "../files/makeFiles.ts"
import { containerBackend } from "./containerBackend.ts"
import type { ContainerTarget } from "./ContainerSettings.ts"
import type { FileServers } from "./FileServers.ts"

/** Options of the files of a container, beside those of the container. */
export interface ContainerFilesOptions extends LeafFilesOptions {
  /** The folder of the container that `/` stands for, an absolute path. Default: `/`, all files of the container. */
  readonly rootPath?: string | undefined
  /** Whether links are followed, within the root. Default: `true`. */
  readonly followSymlinks?: boolean | undefined
  /** Whether a write waits until the disk has it. Default: `true`. */
  readonly flush?: boolean | undefined
}

export const containerFilesOptionNames: Readonly<Record<keyof ContainerFilesOptions, true>> = {
  ...leafFilesOptionNames,
  rootPath: true,
  followSymlinks: true,
  flush: true,
}

/** The options, resolved. */
export interface ContainerFilesSettings {
  readonly files: LeafFilesSettings
  readonly rootPath: string
  readonly followSymlinks: boolean
  readonly flush: boolean
}

/** Resolves the options. */
export const resolveContainerFiles = (where: string, options: ContainerFilesOptions): ContainerFilesSettings => {
  refuseUnknownOptions(where, options, containerFilesOptionNames)
  const { flush = true, followSymlinks = true, rootPath = "/" } = options
  if (typeof rootPath !== "string" || !rootPath.startsWith("/") || rootPath.includes("\0")) {
    throw new OptionError("rootPath", `${where}: rootPath must be an absolute path, got ${showValue(rootPath)}`)
  }
  return { files: leafFilesSettings(where, options), rootPath, ...requireBooleans(where, { followSymlinks, flush }) }
}

export const makeContainerFiles = (
  servers: FileServers,
  { engine }: ContainerTarget,
  { files, ...folder }: ContainerFilesSettings,
): FilesService => makeFiles(containerBackend(servers, { ...folder, leaf: `container/${engine.kind}` }), files)

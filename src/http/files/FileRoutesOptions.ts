/** Declares the options and the result of `fileRoutes`, refuses unknown options, and resolves the limits. */
import type * as Layer from "effect/Layer"
import type { Hono } from "hono"
import type { TokenAccess } from "../../auth/TokenAccess.ts"
import { type DurationInput, positiveMillisOf } from "../../base/duration.ts"
import { refuseUnknownOptions, requireCount } from "../../base/OptionError.ts"
import type { Files } from "../../files/Files.ts"
import type { DisposeOptions } from "../../server/DisposeOptions.ts"
import type { SharedServices } from "../../server/SharedServices.ts"
import type { CorsOptions } from "../../server/makeCors.ts"
import type { ServiceSource } from "../lazyServices.ts"

/** Options of routes that share the tokens, the metrics and the OpenAPI document of `shellRoutes`. */
export interface FilesOnServer {
  /** The routes whose tokens are shared. Dispose of both. */
  readonly server: { readonly sharedServices: SharedServices }
  /** Not allowed: the server's tokens are used. */
  readonly token?: never
  /** Not an option here: the routes use the tokens of the server. */
  readonly tokens?: never
  /** Not allowed: the server decides. */
  readonly unauthenticated?: never
}

/** Limits of the routes. */
export interface FileRoutesLimits {
  /** Maximum number of requests that are answered at once; further ones are refused with 429. Default: 256. */
  readonly maxConcurrency?: number | undefined
  /** Maximum size of a file that is written, in bytes. Default: 16 GiB. */
  readonly maxUploadBytes?: number | undefined
  /** Maximum number of resumable uploads of a token, including those that have just ended. Default: 16. */
  readonly maxUploads?: number | undefined
  /** Time after which a resumable upload that gets no bytes is undone. Default: 1 hour. */
  readonly uploadMaxAge?: DurationInput | undefined
  /** Time after which a client that neither sends nor takes a byte is cut off. Default: 60 s. */
  readonly idleTimeout?: DurationInput | undefined
  /** Maximum size of the headers, names and values, in bytes. Default: 16 KiB. */
  readonly maxHeaderBytes?: number | undefined
  /** Web pages of other origins that may use the routes. Default: none. */
  readonly cors?: CorsOptions | undefined
}

/** Options of `fileRoutes`: the file system, the tokens and the limits. */
export type FileRoutesOptions =
  & ServiceSource<Files>
  & ((TokenAccess & { readonly server?: never }) | FilesOnServer)
  & FileRoutesLimits
  & {
    /**
     * File systems for single tokens, by token name, in place of the common one: a token cannot reach anything outside of
     * its own root. Default: none.
     */
    readonly roots?: Readonly<Record<string, Layer.Layer<Files, unknown>>> | undefined
  }

/** A Hono app with the routes. */
export interface FileRoutes extends Hono {
  /** Builds the layers now. Rejects when one cannot be built. */
  readonly start: () => Promise<void>
  /**
   * Takes no further requests (503), lets running ones continue for `drain`, ends the rest, undoes unfinished uploads,
   * and releases the layers.
   */
  readonly dispose: (options?: DisposeOptions) => Promise<void>
  /** `dispose()`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export interface FileRoutesSettings {
  readonly maxConcurrency: number
  readonly maxUploadBytes: number
  readonly maxUploads: number
  readonly uploadMaxAgeMillis: number
  readonly idleTimeoutMillis: number
  readonly maxHeaderBytes: number
}

const optionNames: Readonly<Record<keyof FileRoutesOptions, true>> = {
  layer: true,
  runtime: true,
  context: true,
  roots: true,
  server: true,
  token: true,
  tokens: true,
  unauthenticated: true,
  maxConcurrency: true,
  maxUploadBytes: true,
  maxUploads: true,
  uploadMaxAge: true,
  idleTimeout: true,
  maxHeaderBytes: true,
  cors: true,
}

export const fileRoutesSettings = (options: FileRoutesOptions): FileRoutesSettings => {
  refuseUnknownOptions("fileRoutes", options, optionNames)
  const count = (name: keyof FileRoutesLimits, value: number): number =>
    requireCount("fileRoutes", name, value, { min: 1 })
  return {
    maxConcurrency: count("maxConcurrency", options.maxConcurrency ?? 256),
    maxUploadBytes: count("maxUploadBytes", options.maxUploadBytes ?? 16 * 1024 ** 3),
    maxUploads: count("maxUploads", options.maxUploads ?? 16),
    uploadMaxAgeMillis: positiveMillisOf("uploadMaxAge", options.uploadMaxAge ?? "1 hour"),
    idleTimeoutMillis: positiveMillisOf("idleTimeout", options.idleTimeout ?? "60 seconds"),
    maxHeaderBytes: count("maxHeaderBytes", options.maxHeaderBytes ?? 16_384),
  }
}

/** Declares the options of the S3 leaf, and resolves them. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type DurationInput, positiveMillisOf } from "../../base/duration.ts"
import { OptionError, refuseUnknownOptions, requireBooleans, requireCount, showValue } from "../../base/OptionError.ts"
import { parsePath } from "../../files/FilePath.ts"
import {
  leafFilesOptionNames,
  type LeafFilesOptions,
  type LeafFilesSettings,
  leafFilesSettings,
} from "../files/LeafFilesOptions.ts"

/** An access key, with the token of a session if it has one. */
export interface S3Credentials {
  /** The id of the key; it is no secret. */
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
  /** The token of temporary credentials. */
  readonly sessionToken?: Redacted.Redacted<string> | undefined
}

/** Options of the S3 leaf. */
export interface S3FileSystemOptions extends LeafFilesOptions {
  /** The bucket; it must exist. */
  readonly bucket: string
  /** The folder of the bucket that `/` stands for, such as `"runs/42"`. No path leads out of it. Default: the whole bucket. */
  readonly prefix?: string | undefined
  /** The access key, or an Effect that gives it for each request: temporary credentials, renewed and cached by you. */
  readonly credentials: S3Credentials | Effect.Effect<S3Credentials, unknown>
  /** Default: `"us-east-1"`. Cloudflare R2 requires `"auto"`. */
  readonly region?: string | undefined
  /** The address of the service, such as `"http://127.0.0.1:9000"`. Default: the AWS endpoint of the region. */
  readonly endpoint?: string | undefined
  /**
   * Whether the bucket is in the path of a URL instead of its host name. Default: `true` with an `endpoint`, and for a
   * bucket with a dot in its name, which no certificate of AWS covers.
   */
  readonly pathStyle?: boolean | undefined
  /**
   * Whether the service obeys `If-None-Match` and `If-Match` when it writes. Default: tested with two writes of a
   * temporary object before the first `CreateNew` or append, which fails if the service ignores conditions. `true`
   * skips the test; with `false` only writers of this leaf are kept from creating or appending to a file at the same
   * time.
   */
  readonly conditionalWrites?: boolean | undefined
  /**
   * Bytes of a part; longer files are written as multipart uploads, whose parts need `partSize` × (`parallelParts` + 1) bytes
   * of memory. From 5 MiB on; an upload has at most 10,000 parts. Default: 8 MiB.
   */
  readonly partSize?: number | undefined
  /** Parts of one file that are sent at once. Default: 4. */
  readonly parallelParts?: number | undefined
  /** Maximum time of one attempt to get an answer, and maximum silence in an answer. Default: 60 s. */
  readonly requestTimeout?: DurationInput | undefined
  /** Number of times that a request is repeated when the service is busy or the connection breaks. Default: 5. */
  readonly maxRetries?: number | undefined
  /** Default: the runtime's `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
}

const optionNames: Readonly<Record<keyof S3FileSystemOptions, true>> = {
  ...leafFilesOptionNames,
  bucket: true,
  prefix: true,
  credentials: true,
  region: true,
  endpoint: true,
  pathStyle: true,
  conditionalWrites: true,
  partSize: true,
  parallelParts: true,
  requestTimeout: true,
  maxRetries: true,
  fetch: true,
}

export interface S3Settings {
  readonly files: LeafFilesSettings
  readonly credentials: S3FileSystemOptions["credentials"]
  readonly region: string
  /** The address of the bucket, which ends in a slash. */
  readonly bucketUrl: string
  readonly bucket: string
  readonly prefix: ReadonlyArray<string>
  readonly conditionalWrites: boolean | undefined
  readonly partSize: number
  readonly parallelParts: number
  readonly requestTimeoutMillis: number
  readonly maxRetries: number
  readonly fetch: (request: Request) => Promise<Response>
}

const leaf = "S3FileSystem"

const mebibyte = 1024 * 1024

const wrong = (option: string, what: string): OptionError => new OptionError(option, `${leaf}: ${option} ${what}`)

const count = (option: string, value: number, min: number, max: number): number =>
  requireCount(leaf, option, value, { min, max })

const parsePrefix = (prefix: string): ReadonlyArray<string> => {
  if (typeof prefix !== "string") throw wrong("prefix", `must be a string, got ${showValue(prefix)}`)
  const names = parsePath(prefix.replace(/(?<=[^/])\/$/, ""))
  if (Result.isSuccess(names)) return names.success
  throw wrong("prefix", `${showValue(prefix)} cannot be a folder: ${names.failure.what}`)
}

const makeBucketUrl = ({ bucket, endpoint, pathStyle }: S3FileSystemOptions, region: string): string => {
  const address = endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`
  if (!URL.canParse(address)) throw wrong("endpoint", `is not a URL: write one such as "https://s3.example"`)
  const url = new URL(address)
  if (url.protocol !== "https:" && url.protocol !== "http:") throw wrong("endpoint", "begins with https: or http:")
  if (url.username !== "" || url.password !== "") throw wrong("endpoint", "has a password: pass credentials instead")
  const folder = url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`
  return pathStyle ?? (endpoint !== undefined || bucket.includes("."))
    ? `${url.origin}${folder}${bucket}/`
    : `${url.protocol}//${bucket}.${url.host}${folder}`
}

export const checkCredentials = (credentials: unknown): void => {
  if (credentials === null || credentials === undefined) throw wrong("credentials", "are missing: pass an access key")
  if (typeof credentials !== "object") {
    throw wrong("credentials", "are { accessKeyId, secretAccessKey }, or an Effect that gives them")
  }
  const { accessKeyId, secretAccessKey, sessionToken }: Partial<Record<keyof S3Credentials, unknown>> = credentials
  if (typeof accessKeyId !== "string" || !/^[\x21-\x7e]+$/.test(accessKeyId)) {
    throw wrong("credentials", "have no accessKeyId")
  }
  if (!Redacted.isRedacted(secretAccessKey) || (sessionToken !== undefined && !Redacted.isRedacted(sessionToken))) {
    throw wrong("credentials", "are Redacted: write Redacted.make(secretAccessKey), and the same for sessionToken")
  }
}

export const resolveS3Options = (options: S3FileSystemOptions): S3Settings => {
  refuseUnknownOptions(leaf, options, optionNames)
  const { bucket, fetch = (request) => globalThis.fetch(request), prefix = "", region = "us-east-1" } = options
  // It becomes a part of a host name.
  if (typeof bucket !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/.test(bucket)) {
    throw wrong("bucket", `${showValue(bucket)} is not a valid bucket name`)
  }
  if (typeof region !== "string" || !/^[A-Za-z0-9-]{1,63}$/.test(region)) {
    throw wrong("region", `${showValue(region)} is not a valid region name`)
  }
  requireBooleans(leaf, { pathStyle: options.pathStyle, conditionalWrites: options.conditionalWrites })
  if (typeof fetch !== "function") throw wrong("fetch", `must be a function, got ${showValue(fetch)}`)
  if (!Effect.isEffect(options.credentials)) checkCredentials(options.credentials)
  return {
    files: leafFilesSettings(leaf, options),
    credentials: options.credentials,
    region,
    bucket,
    bucketUrl: makeBucketUrl(options, region),
    prefix: parsePrefix(prefix),
    conditionalWrites: options.conditionalWrites,
    partSize: count("partSize", options.partSize ?? 8 * mebibyte, 5 * mebibyte, 5 * 1024 * mebibyte),
    parallelParts: count("parallelParts", options.parallelParts ?? 4, 1, 64),
    requestTimeoutMillis: positiveMillisOf("requestTimeout", options.requestTimeout ?? "60 seconds"),
    maxRetries: count("maxRetries", options.maxRetries ?? 5, 0, 100),
    fetch,
  }
}

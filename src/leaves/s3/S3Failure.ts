/** Declares the failure of a request to S3, and maps it to an error code of file systems. */
import { BackendError } from "../files/FileBackend.ts"

/** A failed request. `problem` holds no secret. */
export class S3Failure {
  readonly _tag = "S3Failure"
  readonly problem: string
  /** The status of the answer; 0 if there was none. */
  readonly status: number
  /** The error code of S3, such as `NoSuchKey`; for failures without an answer, one of the operating system. */
  readonly code: string
  readonly isTransient: boolean
  readonly retryAfterMillis: number
  /** Whether an earlier attempt of the request may have taken effect. */
  readonly wasRepeated: boolean

  constructor(
    fields: {
      readonly problem: string
      readonly status?: number
      readonly code?: string
      readonly isTransient?: boolean
      readonly retryAfterMillis?: number | undefined
      readonly wasRepeated?: boolean
    },
  ) {
    this.problem = fields.problem
    this.status = fields.status ?? 0
    this.code = fields.code ?? ""
    this.isTransient = fields.isTransient ?? false
    this.retryAfterMillis = fields.retryAfterMillis ?? 0
    this.wasRepeated = fields.wasRepeated ?? false
  }

  repeated(): S3Failure {
    return new S3Failure({ ...this, wasRepeated: true })
  }
}

export const malformed = (what: string): S3Failure =>
  new S3Failure({ problem: `${what}; is this the address of an S3 service?`, code: "EPROTO" })

const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])
const transientCodes: ReadonlySet<string> = new Set([
  "ConditionalRequestConflict",
  "InternalError",
  "OperationAborted",
  "RequestTimeout",
  "ServiceUnavailable",
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "TooManyRequests",
])

export const isTransientRefusal = (status: number, code: string): boolean =>
  transientStatuses.has(status) || transientCodes.has(code)

const systemCodes: Readonly<Record<string, string>> = {
  NoSuchKey: "ENOENT",
  KeyTooLongError: "ENAMETOOLONG",
  EntityTooLarge: "EFBIG",
  QuotaExceeded: "EDQUOT",
  XMinioStorageFull: "ENOSPC",
  InsufficientStorage: "ENOSPC",
  NotImplemented: "ENOTSUP",
  ETIMEDOUT: "ETIMEDOUT",
  ECONNRESET: "ECONNRESET",
  EPROTO: "EPROTO",
  ESTALE: "ESTALE",
}

const statusCodes: Readonly<Record<number, string>> = { 401: "EACCES", 403: "EACCES", 501: "ENOTSUP", 507: "ENOSPC" }

const advice: Readonly<Record<string, string>> = {
  NoSuchBucket: "make the bucket, or name another",
  ExpiredToken: "get new credentials; pass them as an Effect to renew them",
  RequestTimeTooSkewed: "set the clock of this machine",
  SignatureDoesNotMatch: "check the secret key and the region",
  AuthorizationHeaderMalformed: "pass the region of the bucket",
  PermanentRedirect: "pass the region of the bucket, or its endpoint",
  TemporaryRedirect: "pass the region of the bucket, or its endpoint",
}

export const backendError = ({ code, problem, status }: S3Failure): BackendError => {
  const what = advice[code]
  // A HEAD request is refused without a code.
  const meant = systemCodes[code] ?? (status === 404 && code === "" ? "ENOENT" : statusCodes[status]) ?? "EIO"
  return new BackendError(meant, what === undefined ? problem : `${problem}; ${what}`)
}

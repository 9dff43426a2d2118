/**
 * Names the headers and media types of file transfers over HTTP, for the routes and for their client.
 *
 * Source: draft-ietf-httpbis-resumable-upload (https://datatracker.ietf.org/doc/draft-ietf-httpbis-resumable-upload/).
 */
/** Media type of the content of files: a browser shows none of it. */
export const bytesType = "application/octet-stream"

/** Media type of a part of an upload. */
export const partialUploadType = "application/partial-upload"

/** Header of an answer with the size of the whole file: some runtimes drop `Content-Length` of a stream. */
export const fileSizeHeader = "sluice-file-size"

/** Header of a request with its correlation id. */
export const correlationIdHeader = "sluice-correlation-id"

/** Header that says whether an upload is complete: `?1` or `?0`. */
export const uploadCompleteHeader = "upload-complete"

/** Header with the bytes of an upload that are there. */
export const uploadOffsetHeader = "upload-offset"

/** Header with the bytes that an upload will have. */
export const uploadLengthHeader = "upload-length"

/** Header with the limits of uploads. */
export const uploadLimitHeader = "upload-limit"

/** Formats a boolean of Structured Fields (RFC 9651). */
export const formatFlag = (value: boolean): string => value ? "?1" : "?0"

/** Parses a boolean of Structured Fields; `undefined` for another text. */
export const parseFlag = (text: string | null | undefined): boolean | undefined =>
  text?.trim() === "?1" ? true : text?.trim() === "?0" ? false : undefined

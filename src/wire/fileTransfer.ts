/**
 * Names the headers and media types of file transfers, for the routes and their client. Source:
 * draft-ietf-httpbis-resumable-upload.
 */

/** Media type of file contents, which browsers do not display. */
export const bytesType = "application/octet-stream"

export const partialUploadType = "application/partial-upload"

/** Header of an answer with the size of the whole file: some runtimes drop `Content-Length` of a stream. */
export const fileSizeHeader = "sluice-file-size"

export const correlationIdHeader = "sluice-correlation-id"

export const uploadCompleteHeader = "upload-complete"

export const uploadOffsetHeader = "upload-offset"

export const uploadLengthHeader = "upload-length"

export const uploadLimitHeader = "upload-limit"

export const formatFlag = (value: boolean): string => value ? "?1" : "?0"

/** Parses a boolean of Structured Fields; `undefined` for another text. */
export const parseFlag = (text: string | null | undefined): boolean | undefined =>
  text?.trim() === "?1" ? true : text?.trim() === "?0" ? false : undefined

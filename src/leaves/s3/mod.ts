/**
 * Public module that exports the S3 leaf of the FileSystem branch as the namespace `S3FileSystem`.
 *
 * @module
 */
export * as S3FileSystem from "./S3FileSystem.ts"

/** Describes the routes of files for the OpenAPI document. */
import * as Schema from "effect/Schema"
import { FileDeleted, FileListingEntry, FileMetadata, FileWritten } from "../../files/FileEvent.ts"
import { FileFault } from "../../files/FileFault.ts"
import { CreateMode } from "../../files/FileRequest.ts"
import * as Ndjson from "../../wire/ndjson.ts"
import {
  bytesType,
  partialUploadType,
  uploadCompleteHeader,
  uploadLengthHeader,
  uploadOffsetHeader,
} from "../../wire/fileTransfer.ts"
import { answer, count, flag, json, type OpenApiPart, operation, query, ref, text } from "../openapi.ts"

type Json = Schema.Json

const FileEntries: Schema.Struct<{ readonly entries: Schema.$Array<typeof FileListingEntry> }> = Schema.Struct({
  entries: Schema.Array(FileListingEntry),
})

const header = (name: string, description: string, schema: Json = text): Json => ({
  name,
  in: "header",
  description,
  schema,
})

const binary: Json = { type: "string", format: "binary" }
const content = (type: string): Json => ({ content: { [type]: { schema: binary } } })

const pathParameter: Json = {
  name: "path",
  in: "path",
  required: true,
  description: "Path below the root; its slashes need no encoding",
  schema: text,
}

const conditions: ReadonlyArray<Json> = [
  query("createMode", "What to do when the file exists, or does not", {
    ...text,
    enum: [...CreateMode.literals],
    default: "CreateOrReplace",
  }),
  query("permissions", "Permissions to set on the file, octal", { ...text, pattern: "^0?[0-7]{1,3}$" }),
  header("If-Match", "The tag of the file that is replaced, or * for any; with ReplaceExisting"),
  header("If-None-Match", "* for CreateNew"),
]

const uploadFlag: Json = { type: "string", enum: ["?0", "?1"] }
const uploadHeaders: ReadonlyArray<Json> = [
  header(uploadCompleteHeader, "Whether this is the last part", uploadFlag),
  header(uploadLengthHeader, "Bytes of the whole file, where they are known", count),
]

const written = {
  "200": answer("It was replaced", json("FileWritten")),
  "201": answer("It is new; with Upload-Complete: ?0, the upload began", json("FileWritten")),
}

export const fileOperations: OpenApiPart = {
  schemas: { FileMetadata, FileEntries, FileListingEntry, FileWritten, FileDeleted, FileFault },
  paths: {
    "/files/{path}": {
      parameters: [pathParameter],
      get: operation("readFile", "Read a file, its metadata, or the entries of a folder", {
        "200": answer("The file; with stat its metadata, with list its entries", {
          [bytesType]: { schema: binary },
          "application/json": { schema: { anyOf: [ref("FileMetadata"), ref("FileEntries")] } },
          [Ndjson.mediaType]: { schema: { description: "An entry a line", ...ref("FileListingEntry") } },
        }),
        "206": answer("The range", { [bytesType]: { schema: binary } }),
        "304": answer("The client's copy is current"),
      }, {
        parameters: [
          query("stat", "Its metadata", flag),
          query("list", "The entries of the folder", flag),
          query("recursive", "With list: include folders below", flag),
          query("pattern", "With list: a glob that paths must match, as **/*.ts", text),
          header("Range", "One range of bytes"),
          header("If-Range", "The tag of the file that the range is of"),
          header("If-None-Match", "Tags of the files that the client has"),
          header("If-Modified-Since", "When the client's file was modified"),
        ],
      }),
      put: operation("writeFile", "Write a file, visible when it is whole", written, {
        parameters: [...conditions, ...uploadHeaders],
        requestBody: content(bytesType),
      }),
      post: operation("beginUpload", "Begin an upload over several requests", written, {
        parameters: [...conditions, ...uploadHeaders],
        requestBody: content(bytesType),
      }),
      delete: operation("deleteFile", "Delete a file or a folder", {
        "200": answer("It was deleted", json("FileDeleted")),
      }, { parameters: [query("recursive", "Delete everything in it", flag), header("If-Match", "Its tag")] }),
    },
    "/uploads/{id}": {
      parameters: [{ name: "id", in: "path", required: true, description: "The id in Location", schema: text }],
      head: operation("getUpload", "How far an upload is", { "204": answer("In Upload-Offset") }),
      patch: operation("appendUpload", "A further part", { ...written, "204": answer("The part was stored") }, {
        parameters: [...uploadHeaders, header(uploadOffsetHeader, "Where the part begins", count)],
        requestBody: content(partialUploadType),
      }),
      delete: operation("cancelUpload", "Cancel an upload", { "204": answer("The upload was discarded") }),
    },
  },
}

/**
 * The contract of file systems against a strict service, which refuses every request that is not signed as it must be, and
 * against npm `s3rver`, which has neither conditional writes nor copied parts.
 */
import * as Redacted from "effect/Redacted"
import { S3FileSystem } from "../../../src/leaves/s3/mod.ts"
import { filesContract } from "../../support/filesContract.ts"
import { useS3rver } from "./s3rver.ts"
import { strictS3 } from "./support.ts"

const { address } = useS3rver()

filesContract(
  "S3FileSystem, on a strict service, below a prefix, with pages of 100 keys",
  () => strictS3({ pageSize: 100, leaf: { prefix: "/a b/ü+'()*!/" } }).layer,
)

filesContract(
  "S3FileSystem, on s3rver",
  () =>
    S3FileSystem.layer({
      bucket: "bucket",
      prefix: crypto.randomUUID(),
      endpoint: address(),
      conditionalWrites: false,
      credentials: { accessKeyId: "S3RVER", secretAccessKey: Redacted.make("S3RVER") },
    }),
  {
    maxNameBytes: 200,
    manyFiles: 30,
    because: {
      maxNameBytes: "s3rver adds 14 bytes to the name of a file",
      manyFiles: "s3rver reads a whole folder to find one name of it, so its large folder has 30",
    },
  },
)

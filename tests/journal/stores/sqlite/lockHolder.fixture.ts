/** Holds the write lock of a file until its stdin ends; prints a line when it has it. */
import process from "node:process"
import { DatabaseSync } from "node:sqlite"

const [path = ""] = process.argv.slice(2)
const database = new DatabaseSync(path, { timeout: 10_000 })
database.exec("BEGIN IMMEDIATE")
process.stdout.write("held\n")
process.stdin.on("end", () => {
  database.exec("ROLLBACK")
  database.close()
})
process.stdin.resume()

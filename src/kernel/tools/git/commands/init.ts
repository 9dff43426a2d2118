/** `git init`. Source: git-init(1). */
import { resolvePath } from "../../../utilities/shared/paths.ts"
import { fatal } from "../GitError.ts"
import type { Command, Session } from "../Session.ts"
import { exists } from "../repository/files.ts"
import { makeRepository } from "../repository/makeRepository.ts"

const initialBranch = async (git: Session, given: string | undefined): Promise<string> =>
  given ?? await (await git.config()).get("init.defaultbranch") ?? "master"

export const init: Command = async (git, args) => {
  const line = git.parse(
    "init",
    "bare b|initial-branch: q|quiet template: separate-git-dir: object-format: shared::",
    args,
  )
  line.refuse("template separate-git-dir object-format shared", "leave it out")
  const { system } = git
  const [given = "."] = line.operands
  const folder = resolvePath(system, given, "all")
  if (typeof folder === "number") return fatal(`cannot mkdir ${given}`)
  const gitdir = line.has("bare") ? folder : `${folder === "/" ? "" : folder}/.git`
  const wasThere = exists(system, `${gitdir}/HEAD`)
  const branch = await initialBranch(git, line.value("b"))
  await makeRepository(git, gitdir, line.has("bare"), branch)
  if (line.has("q")) return
  if (
    !wasThere && line.value("b") === undefined && await (await git.config()).get("init.defaultbranch") === undefined
  ) {
    git.warn(
      "hint: Using 'master' as the name for the initial branch. To configure the initial branch name to use in all\nhint: of your new repositories call:\nhint:\nhint: \tgit config --global init.defaultBranch <name>",
    )
  }
  git.printLine(`${wasThere ? "Reinitialized existing" : "Initialized empty"} Git repository in ${gitdir}/`)
}

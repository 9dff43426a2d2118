import { compareGit } from "./compare.ts"

const start =
  `git init -q; printf 'one\\ntwo\\nthree\\n' > a.txt; mkdir -p dir/sub; echo deep > dir/sub/d.txt; save first
`
const fork =
  `${start}git checkout -q -b side; sed -i 's/two/2/' a.txt; echo s > side.txt; save 'on side'; git checkout -q main; echo four >> a.txt; echo m > main.txt; save 'on main'
`
const clash =
  `${start}git switch -q -c side; sed -i 's/two/side/' a.txt; save 'on side'; git switch -q main; sed -i 's/two/main/' a.txt; save 'on main'
`

compareGit("git branch, checkout and switch", [
  `${fork}git branch; git branch -v; git branch -a; git branch other side; git branch -d other; echo $?; git branch -D other; git branch --show-current; git branch --list 's*'; git branch --merged; git branch --no-merged; git branch --contains HEAD~1`,
  `${fork}git checkout side; git checkout -; git switch side; git switch -; git checkout nope; echo $?; git switch nope; echo $?; git checkout -b main; echo $?; git checkout -b new side; git log --oneline; git branch -m newer; git branch`,
  `${fork}echo local >> dir/sub/d.txt; git checkout side; git status -s; echo x >> a.txt; git checkout main; echo $?; git checkout -f main; git status -s; cat a.txt`,
  `${fork}git checkout HEAD~1; git status; git branch; echo d > d; save detached; git branch; git status; git checkout main; git checkout side -- a.txt; git status -s; git checkout HEAD -- .; git status -s; git tag v1; git checkout v1; git status; git switch -d side; git status`,
  `${start}echo x >> a.txt; git checkout a.txt; git diff; echo x >> a.txt; git add a.txt; git restore a.txt; git status -s; git restore --staged a.txt; git status -s; git restore .; git status -s; git restore nope; echo $?; git restore --source=HEAD --staged --worktree a.txt; git restore`,
  `${fork}echo u > side.txt; git checkout side; echo $?; rm side.txt; git switch -c x --quiet; git rev-parse --abbrev-ref HEAD; git symbolic-ref HEAD; git symbolic-ref --short HEAD`,
  `${start}git switch -c feature/a; git branch feature; echo $?; git branch -d feature/a; echo $?; git switch main; git branch -d feature/a; git branch 'bad name'; echo $?; git branch --format='%(refname:short) %(objectname)'`,
])

compareGit("git merge", [
  `${start}git checkout -q -b side; echo s > side.txt; save side; git checkout -q main; git merge side; git log --oneline; git merge side; git merge nope; echo $?`,
  `${fork}git merge side; git log --oneline; git show --stat; cat a.txt; git log --format='%h %p %s'; git cat-file -p HEAD`,
  `${fork}git merge --no-ff -m 'a message' side; git log -1; git reset -q --hard HEAD~1; git merge --squash side; git status -s; git commit -qm squashed; git log --oneline`,
  `${clash}git merge side; echo $?; git status; git status -s; cat a.txt; git ls-files -s; git diff --name-only; git commit -m no; echo $?; echo fixed > a.txt; git add a.txt; git status; git commit -m merged; git log --oneline; git status`,
  `${clash}git merge side; git merge --abort; git status; cat a.txt; git merge --abort; echo $?; git merge -X theirs side; cat a.txt`,
  `${clash}git merge side; git checkout --ours a.txt; cat a.txt; git checkout --theirs a.txt; cat a.txt; git add .; git commit --no-edit; git log -1 --format=%B`,
  `${clash}git merge --ff-only side; echo $?; echo local >> a.txt; git merge side; echo $?; git stash -q; git merge side --no-commit; echo $?`,
  `${start}git checkout -q -b side; git rm -q a.txt; echo new > both; save side; git checkout -q main; echo more >> a.txt; echo other > both; save main; git merge side; echo $?; git status; git status -s; cat a.txt both; git ls-files -s`,
  `${start}git checkout -q -b side; git mv a.txt moved.txt; save side; git checkout -q main; echo more >> a.txt; save main; git merge side; ls; cat moved.txt; git status -s`,
  `${start}seq 30 > n; save n; git checkout -q -b side; sed -i 's/^3$/three/; s/^10$/ten/; s/^25$/x/' n; save side; git checkout -q main; sed -i 's/^3$/THREE/; s/^12$/twelve/; s/^25$/x/; s/^29$/y/' n; save main; git merge side; cat n; git diff --stat`,
  `${start}printf 'a\\0b' > bin; save bin; git checkout -q -b side; printf 'a\\0side' > bin; save side; git checkout -q main; printf 'a\\0main' > bin; save main; git merge side; echo $?; git status -s; cat bin | od -c`,
  `${start}git checkout -q --orphan other; git rm -rfq .; echo o > o; save other; git merge main; echo $?; git merge --allow-unrelated-histories -m joined main; git log --oneline; ls`,
  `${clash}git config merge.conflictStyle diff3; git merge side; cat a.txt; git merge --abort; git merge-base main side; git merge-base --is-ancestor main side; echo $?; git merge-base --is-ancestor main~1 side; echo $?`,
])

compareGit("git cherry-pick, revert and rebase", [
  `${fork}git switch -q side; git rebase -q main; git rebase -q main; git rebase --quiet main; git log --oneline`,
  `${clash}git switch -q side; git rebase -q main; echo both > a.txt; git add a.txt; git rebase --continue; git log --oneline`,
  `${fork}git cherry-pick side; git log --format='%an %ad %s' -2; git status -s; git revert --no-edit HEAD; git log -1 --format=%B; cat a.txt; git show --stat`,
  `${clash}git cherry-pick side; echo $?; git status; cat a.txt; git cherry-pick --abort; git status; git cherry-pick -x side; echo ok > a.txt; git add a.txt; git cherry-pick --continue; git log -1 --format=%B`,
  `${fork}git switch -q side; git rebase main; git log --oneline; git log --format='%an %at %s' -1; cat a.txt; git status; git rebase main`,
  `${clash}git switch -q side; git rebase main; echo $?; cat a.txt; echo both > a.txt; git add a.txt; git rebase --continue; git log --oneline; git status`,
  `${clash}git switch -q side; git rebase main; git rebase --abort; git status; git log --oneline; git rebase main; git rebase --skip; git log --oneline; echo dirty >> a.txt; git rebase main~1; echo $?`,
  `${fork}git cherry-pick -n side; git status -s; git reset -q --hard; git cherry-pick main..side; git log --oneline; git revert -n HEAD; git status -s`,
])

compareGit("git stash", [
  `${start}echo x >> a.txt; git stash; git status -s; git stash list; git stash show; git stash show -p; git stash pop; git stash list; git status -s`,
  `${start}echo x >> a.txt; echo n > new; git add new; echo u > untracked; git stash push -m 'my work'; ls; git stash list; git stash apply; git status -s; git reset -q --hard; git stash drop; git stash list; git stash; git stash pop; echo $?`,
  `${start}echo x >> a.txt; echo u > untracked; git stash -u; git status -s; ls; echo y >> a.txt; git stash; git stash list; git stash pop stash@{1}; echo $?; git checkout -q .; git stash pop; git status -s; git stash clear; git stash list`,
  `${start}echo x >> a.txt; echo y >> dir/sub/d.txt; git stash push a.txt; git status -s; git stash pop; git status -s; git stash --keep-index; git stash branch fresh; git branch`,
  `${start}sed -i 's/two/stashed/' a.txt; git stash -q; sed -i 's/two/committed/' a.txt; save c; git stash pop; echo $?; cat a.txt; git status; git stash list`,
])

compareGit("git reset, tag and reflog", [
  `${fork}git reset --soft HEAD~1; git status -s; git reset; git status -s; git reset --hard; git status -s; git reset --hard side; git log --oneline; git reset --hard ORIG_HEAD; git reset nope; echo $?`,
  `${fork}echo x >> a.txt; git add a.txt; git reset a.txt; git reset -q; git reset --mixed HEAD~1; git status -s; git reset HEAD -- dir`,
  `${fork}git tag v1.0; git tag -a v1.1 -m 'annotated tag' side; git tag; git tag -l 'v1.*'; git tag -n; git show v1.1; git cat-file -p v1.1; git tag v1.0; echo $?; git tag -d v1.0; git describe side; git describe --tags --always; git rev-parse v1.1 'v1.1^{commit}'; git show-ref; git log --oneline --decorate --all`,
  `${fork}git reflog; git reflog -n 2; git log -g --oneline; git rev-parse 'HEAD@{1}' 'HEAD@{2}'; git reset -q --hard HEAD~1; git reflog`,
])

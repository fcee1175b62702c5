import type { DamagedFile, FileFault } from "@/api";

const FAULTS: readonly FileFault[] = ["missing", "rot", "unreadable", "changed"];

/** Files with the same fault, since that says what to do. */
export interface Group {
  fault: FileFault;
  paths: string[];
}

/** The damaged files of a version by fault, the worst first. */
export function grouped(files: readonly DamagedFile[]): Group[] {
  return FAULTS.map((fault) => ({
    fault,
    paths: files.filter((file) => file.fault === fault).map((file) => file.path),
  })).filter((group) => group.paths.length);
}

/** Since when it has been known that something is damaged. */
export function knownSince(files: readonly DamagedFile[]): string | undefined {
  return files.map((file) => file.found).sort()[0];
}

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Simulated machines: each is a network namespace with its own address, all connected to one switch, a bridge in its own namespace, so
 * that this machine's network does not change. Linux only, as root, with `ip` of iproute2 and `nsenter` of util-linux.
 */
export interface Network {
  addressOf(machine: string): string;
  /** Words before a command that run it on a machine. */
  prefixOf(machine: string): readonly string[];
  /** Drops all packets between two machines, both ways, until `mend`. */
  cut(one: string, other: string): void;
  mend(one: string, other: string): void;
  processesOn(machine: string): readonly number[];
  /** Words before a command that limit its processor time, including all its child processes. */
  limitTo(cores: number, name: string): readonly string[];
}

/** All our names start with this; the number after it is the process that created them. */
const PREFIX = 'chiffchaff-several-';
const NAMESPACES = '/run/netns';
const SWITCH = 'switch';
const DEVICE = 'eth0';
/** No machine has this address: what is sent there is lost silently, as on a cut line. */
const NOWHERE = '02:00:00:00:00:01';
/** Limits of processor time: control groups of version 1 where Linux has mounted them there, otherwise of version 2. */
const GROUPS_V1 = '/sys/fs/cgroup/cpu';
const GROUPS_V2 = '/sys/fs/cgroup';
/** Period of a limit in microseconds. */
const PERIOD_US = 100_000;

/** Names contain the id of the process that created them, which identifies what a killed run has left behind. */
const nameOf = (run: number, what: string): string => `${PREFIX}${run}-${what}`;
/** Folder for the files of a run. */
export const folderOf = (run: number): string => join(tmpdir(), nameOf(run, 'files'));
const groupsFolder = (): string => (existsSync(GROUPS_V1) ? GROUPS_V1 : GROUPS_V2);
/** No real machine is on this network. */
const addressAt = (index: number): string => `10.99.0.${index + 1}`;
const ip = (...words: string[]): string => execFileSync('ip', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Why such a network cannot be made here, or null. */
export function whyNoNetwork(): string | null {
  if (process.platform !== 'linux') return 'Several machines are made of network namespaces, which Linux has.';
  if (process.getuid?.() !== 0) return 'Several machines are made of network namespaces, which only root can make.';
  const folders = (process.env.PATH ?? '').split(':');
  const missing = ['ip', 'nsenter'].filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
  return missing.length === 0 ? null : `Several machines need ${missing.join(' and ')} (Debian: iproute2, util-linux).`;
}

/** Creates machines and a folder for files, named after this process, and removes what killed runs have left behind. */
export function makeNetwork(machines: readonly string[]): void {
  removeLeftOvers();
  const run = process.pid;
  mkdirSync(folderOf(run), { mode: 0o755 });
  const bridge = nameOf(run, SWITCH);
  ip('netns', 'add', bridge);
  ip('-n', bridge, 'link', 'add', 'bridge0', 'type', 'bridge');
  ip('-n', bridge, 'link', 'set', 'bridge0', 'up');
  for (const [index, machine] of machines.entries()) {
    const name = nameOf(run, machine);
    const port = `port${index}`;
    ip('netns', 'add', name);
    ip('-n', bridge, 'link', 'add', port, 'type', 'veth', 'peer', 'name', DEVICE, 'netns', name);
    ip('-n', bridge, 'link', 'set', port, 'master', 'bridge0', 'up');
    ip('-n', name, 'address', 'add', `${addressAt(index)}/24`, 'dev', DEVICE);
    for (const device of [DEVICE, 'lo']) ip('-n', name, 'link', 'set', device, 'up');
  }
}

/**
 * @param run id of the process that created the network
 * @param machines the names it was created with
 */
export function openNetwork(run: number, machines: readonly string[]): Network {
  function addressOf(machine: string): string {
    const index = machines.indexOf(machine);
    if (index < 0) throw new Error(`There is no machine ${machine}`);
    return addressAt(index);
  }
  function bothWays(one: string, other: string, ...words: string[]): void {
    const [verb = '', ...rest] = words;
    ip('-n', nameOf(run, one), 'neighbour', verb, addressOf(other), 'dev', DEVICE, ...rest);
    ip('-n', nameOf(run, other), 'neighbour', verb, addressOf(one), 'dev', DEVICE, ...rest);
  }
  return {
    addressOf,
    prefixOf: (machine) => ['nsenter', `--net=${join(NAMESPACES, nameOf(run, machine))}`],
    cut: (one, other) => bothWays(one, other, 'replace', 'lladdr', NOWHERE, 'nud', 'permanent'),
    mend: (one, other) => bothWays(one, other, 'delete'),
    processesOn: (machine) => processesIn([nameOf(run, machine)]),
    limitTo(cores, name) {
      const group = join(groupsFolder(), nameOf(run, name));
      mkdirSync(group, { recursive: true });
      const quota = Math.round(cores * PERIOD_US);
      if (groupsFolder() === GROUPS_V1) writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota));
      else writeFileSync(join(group, 'cpu.max'), `${quota} ${PERIOD_US}`);
      return ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group];
    },
  };
}

/** Kills everything that runs on the machines of a run, and removes them with their files. */
export function removeNetwork(run: number): void {
  const isOurs = (name: string): boolean => name.startsWith(nameOf(run, ''));
  const names = namesIn(NAMESPACES).filter(isOurs);
  // A killed process may have started another, so repeat until none is left.
  for (let running = processesIn(names); running.length > 0; running = processesIn(names)) {
    for (const pid of running) killIfThere(pid);
  }
  for (const name of names) ip('netns', 'delete', name);
  for (const group of namesIn(groupsFolder()).filter(isOurs)) rmdirSync(join(groupsFolder(), group));
  rmSync(folderOf(run), { recursive: true, force: true });
}

/** Removes what runs that were killed have left behind. */
function removeLeftOvers(): void {
  const names = [NAMESPACES, groupsFolder(), tmpdir()].flatMap(namesIn).filter((name) => name.startsWith(PREFIX));
  const runs = new Set(names.map((name) => Number.parseInt(name.slice(PREFIX.length), 10)));
  for (const run of runs) if (!isTrial(run)) removeNetwork(run);
}

/** Whether a process is a trial: its id may have been reused by another program. */
function isTrial(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('trial');
  } catch {
    return false;
  }
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const processesIn = (names: readonly string[]): number[] =>
  names.flatMap((name) => ip('netns', 'pids', name).split('\n').filter(Boolean).map(Number));

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

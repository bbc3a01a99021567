import type { CSSProperties } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import styles from './hero.module.css';

/** The notes of the song, each a falling mark as in a spectrogram: position and size. */
const notes = [
  { x: 428, y: 96, size: 0.92 },
  { x: 480, y: 150, size: 0.94 },
  { x: 536, y: 92, size: 1 },
  { x: 590, y: 148, size: 1 },
  { x: 646, y: 90, size: 1.04 },
] as const;
const beak = { x: 392, y: 178 } as const;

const NOTE_SHAPE = 'M-3.2 0C-3.4-4 3.6-4 3.6 0 6 40 10 70 32 88 35 90.5 33 94.5 29 93 2 84-2 44-3.2 0Z';

/**
 * Our own drawing: a chiffchaff whose two notes come out of its beak. It moves gently, and not at all if the user prefers reduced motion.
 */
export function Hero() {
  const { t } = useTranslation();
  return (
    <svg className={styles.hero} viewBox="0 50 720 444" role="img" aria-label={t('landing.hero')}>
      <circle className={styles.sky} cx="258" cy="270" r="214" />
      <g className={styles.paper}>
        <path className={styles.dots} d="M424 84H704M424 144H704M424 204H704M424 264H704" />
        <path d="M424 296H704M452 296v6M508 296v6M564 296v6M620 296v6M676 296v6" />
        <text x="704" y="76" textAnchor="end">
          8 kHz
        </text>
        <text x="704" y="257" textAnchor="end">
          2
        </text>
      </g>
      <g className={styles.twig}>
        <path strokeWidth="12" d="M-20 512C84 504 170 470 262 453S430 436 524 396" />
        <path className={styles.gleam} strokeWidth="2.5" d="M-20 508C84 500 170 466 262 449.5S430 432 524 393" />
        <path strokeWidth="5.5" d="M400 437C440 450 470 452 502 478" />
      </g>
      <g className={styles.leaves}>
        <path d="M520 397c12-26 38-34 62-28-8 24-34 38-62 28zM498 474c24-4 44 8 52 28-24 4-46-6-52-28zM440 432c-4-22 8-40 28-48 8 22-4 42-28 48zM40 500c-8-20-2-40 14-52 10 18 6 40-14 52z" />
        <path
          className={styles.veins}
          d="M526 394c16-8 32-16 48-22M504 478c14 4 28 12 40 20M444 426c4-12 12-26 20-36M42 494c6-14 8-28 10-40"
        />
      </g>
      <g>
        <path fill="var(--wing)" d="M158 366L70 500c-2 4 1 8 5 9l16 4c4 1 7 0 10-4l92-114z" />
        <path className={styles.edges} strokeWidth="1.8" d="M150 396L84 506M166 404L98 506" />
        <path
          fill="var(--buff)"
          d="M351 176C345 141 309 121 274 131 243 140 229 168 217 198 203 232 170 268 150 312 138 338 136 362 148 388 164 408 204 425 246 421 304 413 344 364 351 306 355 274 343 242 350 214 355 202 357 189 351 176Z"
        />
        <path
          fill="var(--wash)"
          d="M351 296C347 360 304 413 246 421 212 424 184 414 164 400 220 400 262 372 286 324 298 298 304 276 322 252 336 262 352 276 351 296Z"
        />
        <path
          className={styles.strokes}
          d="M318 262c-6 10-10 18-13 28M334 276c-5 12-9 24-12 34M312 310c-5 14-11 26-18 36M332 326c-6 16-14 28-22 38M288 362c-8 10-16 18-26 24M306 378c-8 8-16 14-26 20M252 396c-8 4-16 6-26 8"
        />
        <path
          fill="var(--olive)"
          d="M353 178C346 140 308 120 273 131 242 140 228 168 216 198 202 232 168 268 148 312 136 338 136 362 148 388 160 400 172 402 184 396 214 372 236 330 252 290 262 262 268 240 284 222 302 206 330 198 346 192 352 188 354 184 353 178Z"
        />
        <path
          fill="var(--olive-light)"
          opacity=".55"
          d="M336 146C316 128 284 126 258 142 240 154 232 178 224 200 236 172 252 152 276 145 298 139 320 140 336 146Z"
        />
        <path fill="var(--buff)" d="M350 190C330 186 302 190 287 206 279 218 284 234 300 240 322 246 343 230 352 208Z" />
        <path fill="var(--olive-light)" opacity=".5" d="M350 193C330 190 304 194 290 208 304 222 332 216 350 204Z" />
        <path fill="var(--brow)" d="M352 175C334 159 302 157 262 179 288 169 322 168 350 181Z" />
        <path fill="var(--olive-dark)" d="M353 183C328 176 296 179 260 198 292 191 328 191 352 190Z" />
        <path
          fill="var(--wing)"
          d="M232 250C206 268 176 306 152 346 136 374 120 410 108 442 138 430 178 410 207 386 241 356 265 318 269 284 271 262 254 243 232 250Z"
        />
        <path fill="var(--olive-dark)" d="M232 250C214 262 196 282 180 304 204 284 232 272 262 276 262 258 248 246 232 250Z" />
        <path
          className={styles.edges}
          strokeWidth="2"
          d="M260 300C238 336 192 386 132 424M262 316C246 346 212 378 166 404M252 290C222 322 176 372 124 420M188 304C212 288 238 280 262 284M204 286C222 274 242 268 258 272"
        />
        <ellipse fill="var(--brow)" cx="318" cy="183.500" rx="14.500" ry="13.500" />
        <path fill="var(--olive-dark)" d="M303 184h30v4h-30z" />
        <circle fill="#1a1813" cx="318" cy="183.500" r="11" />
        <circle fill="#fff" cx="321.800" cy="179.500" r="3.200" />
        <circle fill="#fff" opacity=".5" cx="314" cy="188" r="1.500" />
        <path fill="var(--gape)" d="M353 188C362 184 370 180 376 175 374 183 371 190 366 193L353 193Z" />
        <path fill="var(--bill)" d="M350 176C364 169 382 160 396 157 388 167 372 180 353 188Z" />
        <path className={styles.lowerBill} fill="var(--bill)" d="M353 193C366 193 380 195 390 199 377 203 364 206 350 206Z" />
        <path
          className={styles.legs}
          d="M240 419L247 450M233 454c6-6 10-6 14-4 6 0 12 2 16 6M270 411L284 443M270 450c6-6 10-8 14-6 6 0 12 2 16 6"
        />
      </g>
      {notes.map(({ x, y, size }, index) => (
        <g key={x} transform={`translate(${x} ${y}) scale(${size})`}>
          <path
            className={styles.note}
            d={NOTE_SHAPE}
            style={{ '--from-x': `${beak.x - x}px`, '--from-y': `${beak.y - y}px`, '--turn': index } as CSSProperties}
          />
        </g>
      ))}
      <g className={styles.words}>
        <text x="418" y="72">
          chiff
        </text>
        <text x="482" y="268">
          chaff
        </text>
      </g>
    </svg>
  );
}

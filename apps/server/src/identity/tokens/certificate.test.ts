import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { issueCertificate } from './certificate.ts';

describe('The issuer of certificates for ID tokens', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

  it('signs a certificate with its own key and includes the public key', () => {
    const pem = issueCertificate(
      privateKey,
      'securetoken.chiffchaff',
      new Date('2026-05-01T05:12:44Z'),
      new Date('2051-01-02T03:04:05Z'),
    );
    const certificate = new X509Certificate(pem);
    expect(certificate.verify(publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(privateKey)).toBe(true);
    expect(certificate.subject).toBe('CN=securetoken.chiffchaff');
    expect(certificate.issuer).toBe(certificate.subject);
    expect(certificate.validFrom).toBe('May  1 05:12:44 2026 GMT');
    expect(certificate.validTo).toBe('Jan  2 03:04:05 2051 GMT');
    expect(certificate.publicKey.equals(publicKey)).toBe(true);
  });

  it('gives each certificate a positive serial number that no other has', () => {
    const issue = () => new X509Certificate(issueCertificate(privateKey, 'x', new Date(0), new Date(1e12))).serialNumber;
    const numbers = Array.from({ length: 20 }, issue);
    expect(new Set(numbers).size).toBe(20);
    expect(numbers.every((number) => /^[4-7][0-9A-F]{31}$/.test(number))).toBe(true);
  });
});

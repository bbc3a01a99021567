import type { TermsText } from './terms-text.ts';

export const termsText: TermsText = {
  inShort: [
    'Your recordings stay yours. They go to this server and to nobody else.',
    'What the site tells you about a bird is an estimate. Do not rely on it where harm could follow.',
    'The model may be used for non-commercial purposes only; that binds you as it binds us.',
    'You can take out everything that is kept about you, and delete it, at any time.',
  ],
  sections: [
    {
      id: 'agreement',
      title: 'The agreement',
      body: [
        'These terms are an agreement between you and {businessName} (“we”), who runs {siteName} (“the site”) with the free software Chiffchaff. They have held since {effectiveDate}. By ticking the box on the first page or creating an account you agree to them; if you do not, please do not use the site.',
        'When we change the terms, their date changes, and your account shows that there is a new version and asks you to agree to it. For what you did before, the version holds that you agreed to then.',
      ],
    },
    {
      id: 'age',
      title: 'Age',
      body: [
        'The site is for people of at least 18 years. From 13 years on you may use it with the permission of a parent or guardian, who then agrees to these terms for you and looks after your use. Who is younger than 13 may not create an account; a class can work through its teacher’s account.',
      ],
    },
    {
      id: 'intellectual-property',
      title: 'Intellectual property',
      body: [
        'Chiffchaff’s program code is free software under the MIT licence. The recogniser BirdNET belongs to the K. Lisa Yang Center for Conservation Bioacoustics at the Cornell Lab of Ornithology and Chemnitz University of Technology and is licensed under CC BY-NC-SA 4.0: non-commercial use, with their names, and passing the same licence on. [About the recogniser](/about) says how to name and cite it.',
        'Name, marks and other contents of the site belong to us or to those named beside them. These terms give you the right to use them as the site is meant to be used, and the licences named give you what they say; nothing more is passed to you.',
      ],
    },
    {
      id: 'representations',
      title: 'What you assure us',
      body: [
        'By using the site you assure us that:',
        {
          list: [
            'what you tell us when you register is true, and you keep it so;',
            'you are old enough, or have the permission that [Age](#age) asks for;',
            'you may agree to these terms, and use the site within the law and for non-commercial purposes;',
            'you reach the site as a person or with a program that keeps to its limits, not by getting around them.',
          ],
        },
      ],
    },
    {
      id: 'registration',
      title: 'Registration',
      body: [
        'An account needs an e-mail address and a password. Keep the password to yourself; what is done with your account counts as done by you until you tell us that somebody else has it. A display name that deceives or insults may be changed by us.',
      ],
    },
    {
      id: 'prohibited',
      title: 'Prohibited activities',
      body: [
        'The site is for finding out which birds are heard. You may not:',
        {
          list: [
            'use it, or answers of the model, for commercial purposes;',
            'send recordings of conversations that were made without the speakers’ consent, or anything else that the law forbids you to have or to pass on;',
            'use an answer to disturb, trap or harm wildlife, or to disclose the place of a nest or roost that needs protection;',
            'get into other people’s accounts or data, collect their addresses, or pretend to be somebody else;',
            'attack, overload or probe the server, plant malicious code, or get around its limits (to report a weakness is welcome: write to us first);',
            'remove notices of origin and licence;',
            'offer the site’s answers as the judgement of an expert.',
          ],
        },
      ],
    },
    {
      id: 'contributions',
      title: 'Your contributions',
      body: [
        'What you send or enter are your contributions: recordings, places, dates, a display name. The site publishes none of them, and other people do not see them.',
        'You assure us that you may send them, and that they infringe nobody’s rights. You answer for them; we do not look through them, but may remove what breaks these terms or the law.',
      ],
    },
    {
      id: 'contribution-licence',
      title: 'Licence for your contributions',
      body: [
        'Your contributions stay yours. You allow us only what the site needs to do what you ask of it: to receive, decode, copy, analyse and store them, and to show and play them to you. This permission is free of charge, is not exclusive, goes to nobody else, and ends when you delete the contribution. We train no model with your recordings and sell nothing of them.',
      ],
    },
    {
      id: 'reviews',
      title: 'Guidelines for reviews',
      body: [
        'The site has no public reviews. Where we offer a place for them, or where you review the site elsewhere and want us to answer, these guidelines hold: speak from your own use; insult and discriminate against nobody; no advertising, no lies, no campaigns of several accounts; no claims about the legality of what others do. We may decline, shorten or remove reviews that break them, and owe nobody the showing of one.',
      ],
    },
    {
      id: 'mobile',
      title: 'Mobile app licence',
      body: [
        'You can install the site on a phone or computer; it then opens like an app. You may do so on every device that you own or control, for the uses that these terms allow. The program behind it is free software under its own licence, which prevails where it allows more. If you got the app through a store, that store is no party to these terms and owes you no support for it; its own rules for the use of apps hold too.',
      ],
    },
    {
      id: 'social',
      title: 'Linking social media accounts',
      body: [
        'The site links no social media accounts. Should we offer it, linking will be your choice: you would assure us that you may link the account, we would fetch no more than is said beside the button, keep no password of it, and undo the link whenever you ask. Your dealings with such a service are subject to its own terms.',
      ],
    },
    {
      id: 'submissions',
      title: 'Submissions',
      body: [
        'Suggestions, questions and reports of faults about the site are welcome. We may use what they propose without payment and without naming you; your name and address we pass on to nobody. Contributions to the program’s code are made under its licence.',
      ],
    },
    {
      id: 'third-party',
      title: 'Third-party sites and contents',
      body: [
        'Some links lead to other sites, for example to learn more about a species. Such a site is asked for nothing until you follow the link; then its own terms and privacy policy hold. We do not check these sites, answer neither for their contents nor for dealings you have with them, and recommend nothing by a link.',
      ],
    },
    {
      id: 'advertisers',
      title: 'Advertisers',
      body: [
        'The site shows no advertisements. The model’s licence is for non-commercial use. Should we ever thank a sponsor, the sponsor answers for what it says, learns nothing about you from us, and has no influence on answers.',
      ],
    },
    {
      id: 'management',
      title: 'Management of the site',
      body: [
        'We may watch the site for breaches of these terms, remove or lock what breaks them or burdens the server unreasonably, limit use, and turn to the authorities where the law is broken. We may change or end functions, and take the site down for maintenance. We are not obliged to do any of this for you, and not bound to keep anything for ever: take out what you want to keep.',
      ],
    },
    {
      id: 'privacy',
      title: 'Privacy Policy',
      body: [
        '{businessName} is responsible for your data; [Contact](#contact) says how to reach us. What is processed, why, and how long:',
        {
          list: [
            'Recordings are sent to this server, analysed, and deleted when the analysis ends. Of the sound, no more is kept than is chosen beside the recording or, where nothing is chosen there, in your account: nothing, a few seconds around the best passages (what an account begins with), or all of it, for {retentionDays} days. Where your browser cannot draw or play a recording, the page says so before you send it and offers to keep all of it for half an hour so that you can listen; that is off unless you choose it. When its time is over, the sound is removed. Without an account none is kept.',
            'Predictions made while you are signed in are stored with your account until you delete them: the answer, the file’s name, the place and date you gave, and evidence, that is, numbers the model computed from which the answer can be worked out again. An anonymous prediction is not stored.',
            'Your account: e-mail address, a hash of your password (never the password), display name if you gave one, whether the address is confirmed, which version of these terms you agreed to and when. For each session: its beginning, its last use and the name of your browser, so that you can recognise and end it.',
            'Logs: time, kind of request, status and duration, to keep the server running and safe. They hold no file names, no places, no e-mail addresses, no tokens. Your network address is used to limit attempts and requests and to answer you.',
            'E-mails (confirmation, new password) are sent only when you ask for them or change your account, through our mail server.',
          ],
        },
        'We process recordings, predictions and the account to fulfil this agreement (Article 6(1)(b) of the General Data Protection Regulation), logs and limits for our legitimate interest in a safe service (Article 6(1)(f)), and keep sound by your consent (Article 6(1)(a)), which you can withdraw at any time.',
        'No third parties: the site loads nothing from other servers, has no analytics and no advertising, and passes your data to nobody unless the law compels us. Two exceptions are a matter of how this site is run: whoever provides its server or delivers its mail works on our instructions; and where the sign-in is a foreign identity service’s (such as Google’s), that service processes your address and password by its own policy.',
        'Places are searched on this server. Your device’s position is asked for only when you press the button for it, and is sent only as the place of a recording.',
        'In your browser’s local storage the site keeps, while you are signed in, exactly four items: token, tokenExpiry, user and userId. A fifth, refreshToken, is there only if you ask to be kept signed in on that device. They are removed when you sign out. One more item holds preferences such as language and colours and nothing personal. For as long as a tab is open, its session storage holds this site’s public settings, after a session that ended by itself the word that it did, and, while you are signed in, up to 20 answers that you have read in it, so that they open without a connection; the answers are removed when you sign out. The page’s own files are kept for use without a connection. There are no cookies. The tick on the first page is not stored.',
        'Your rights: [Your account](/account) lets you see and correct your data, take out everything as a file, delete a single prediction or the whole account with everything in it. Besides, you may ask us for access, correction, erasure, restriction or a copy, object to processing, and complain to a data protection authority.',
        'Backups: what you delete is gone from the running server at once. Copies in our backups disappear when those backups are replaced in turn, and those that an update of the server leaves after 30 days; until then they are used for nothing but restoring the server after a loss.',
      ],
    },
    {
      id: 'copyright',
      title: 'Notices about copyright',
      body: [
        'If you believe that something on the site infringes your copyright, send a notice to our designated copyright agent: {copyrightAgent}. Please give:',
        {
          list: [
            'which work is concerned, and where on the site it is found;',
            'who you are and how to reach you;',
            'that you believe in good faith that the use is allowed neither by the owner nor by the law;',
            'that what you say is true and that you are the owner or may act for the owner, and your signature, in writing or electronic.',
          ],
        },
        'We look into it and remove what infringes. Whoever posted it may send a counter-notice with the same particulars and the reasons why it was lawful; we pass that on to you and may restore it unless you go to court. Knowingly false notices can make you liable. Accounts that infringe repeatedly are closed.',
      ],
    },
    {
      id: 'termination',
      title: 'Term and termination',
      body: [
        'These terms hold as long as you use the site. You can end them at any time by deleting your account, without reasons. We may end them with reasonable notice, and lock or delete an account at once where these terms or the law are seriously broken; who was locked out may not register anew under another name. Where we close an account without such a reason, you can take out your data first.',
      ],
    },
    {
      id: 'law',
      title: 'Governing law',
      body: [
        'The law of {state}, {country}, governs these terms, without its rules about which other law to apply. If you are a consumer, you keep the protection that the mandatory law of the country you live in gives you.',
      ],
    },
    {
      id: 'disputes',
      title: 'Resolving disputes',
      body: [
        'If something is wrong, write to us first. Both sides then try to settle it by talking for at least {negotiationDays} days.',
        'If that does not help, both may agree on mediation or on arbitration by an arbitrator whom both accept; nobody is forced into either. Otherwise the courts in {county}, {state}, decide, or, where you are a consumer, those that the law gives you. Claims have to be brought within {disputeYears} years after they arose, unless the law provides a period that cannot be shortened. A dispute is between you and us alone; joining it to those of others needs the consent of both.',
      ],
    },
    {
      id: 'disclaimer',
      title: 'Disclaimer',
      body: [
        'The site is offered as it is and as it is available. An answer is a machine’s estimate from sound: it can be wrong, miss a bird, or name one that was not there, even when it says “very likely”. The figures on [About the recogniser](/about) say how often, on test recordings. Do not base on an answer alone any decision about protection, planning, hunting, safety or money.',
        'As far as the law allows, we give no warranty that the site is free of faults, always reachable, or fit for a certain purpose, and no warranty for what other sites offer.',
      ],
    },
    {
      id: 'liability',
      title: 'Limits of liability',
      body: [
        'As far as the law allows, we are not liable for indirect or consequential damage, lost profit or lost data, and our liability for everything else is limited to what you paid us in the {liabilityMonths} months before the claim arose, and at most to {liabilityAmount}.',
        'These limits do not hold for intent and gross negligence, for injury to life, body or health, for what we have guaranteed, and wherever the law forbids them.',
      ],
    },
    {
      id: 'indemnification',
      title: 'Indemnification',
      body: [
        'If somebody makes a claim on us because you broke these terms, the law or the rights of others through your fault, you bear the damage and the reasonable costs of our defence. We tell you of such a claim without delay and settle nothing at your expense without you.',
      ],
    },
    {
      id: 'user-data',
      title: 'Your data and its loss',
      body: [
        'We keep stored data with care and make backups, but you answer for what you send and for keeping the originals: the site is no archive of recordings. As far as the law allows we are not liable for the loss of data of which you could have kept a copy. What is stored, and your rights, is said under [Privacy Policy](#privacy).',
      ],
    },
    {
      id: 'electronic',
      title: 'Electronic communications',
      body: [
        'Visiting the site, sending e-mails and filling in forms are electronic communications. You agree that we may answer and inform you electronically, and that agreements, notices and confirmations given that way satisfy a legal requirement of writing where the law lets them.',
      ],
    },
    {
      id: 'rest',
      title: 'What else holds',
      body: [
        'If a part of these terms is not valid, the rest stays valid. That we do not enforce a right at once does not waive it. These terms are there in English and German; where they differ, the version holds in which you agreed to them.',
      ],
    },
    {
      id: 'contact',
      title: 'Contact',
      body: [
        'For questions, complaints and everything under these terms:',
        { list: ['{businessName}', '{contactAddress}', 'E-mail: {contactEmail}', 'Telephone: {contactPhone}'] },
      ],
    },
  ],
};

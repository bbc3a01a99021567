import { useTranslation } from 'react-i18next';
import { Notice } from '../../../ui/notice.tsx';

/** Says that what is shown is not what the account has: other conditions change the view, never what is kept. */
export function FirstResultNotice({ onShow }: { readonly onShow: () => void }) {
  const { t } = useTranslation();
  return (
    <Notice tone="information" title={t('otherConditions.title')}>
      <p>{t('otherConditions.text')}</p>
      <button type="button" className="button button-quiet" onClick={onShow}>
        {t('otherConditions.back')}
      </button>
    </Notice>
  );
}
